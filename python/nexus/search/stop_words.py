"""English words that say little about the subject of a query. They are left out of long queries only."""

_WORDS = """
    a about above after again against all also am an and any are as at be because been before being below between
    both but by can cannot could d did do does doing don down during each either every few for from further had has
    have having he her here hers herself him himself his how however i if in into is it its itself just ll m may me
    might more most must my myself neither no nor not now of off on once only or other others ought our ours
    ourselves out over own re s shall she should since so some such t than that the their theirs them themselves
    then there these they this those through thus to too toward towards under until up upon us ve very was we were
    what when where whether which while who whom whose why will with within without would yet you your yours
    yourself yourselves
"""
ENGLISH = frozenset(_WORDS.split())

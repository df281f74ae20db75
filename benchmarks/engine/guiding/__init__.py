"""An assistant that watches live and says what to do next: points, answers, clips, plan state.

Source: Plan, Watch, Recover (arXiv 2606.04970v1) and, where that is said, its released scorer.
A *point* is a moment at which it is decided, an *interrupt* what the assistant says at one; the
person's own interruption is a *distraction*.
"""

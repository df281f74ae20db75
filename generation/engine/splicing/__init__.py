"""From a trace to cuts: which parts of a recording stay, which clips are needed, new step times.

`planning.plan_edits` makes an `edit_list.EditList`; `filmed_trace` gives the trace its new times.
Nothing here touches a video file: `generation.backends.video` applies edits.
"""

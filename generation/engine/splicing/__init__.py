"""From a trace to cuts: what stays of a recording, what is made anew, and when each step is now.

`planning.plan_edits` makes an `edit_list.EditList`; `annotations` writes the new annotation down.
Nothing here touches a video: `generation.backends.video` carries edits out.
"""

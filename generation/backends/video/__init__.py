"""Video files: clips are made and conformed here, and spliced into recordings.

`splice.splice` carries edits out, `conform.conform_clip` stores a clip so that it can be spliced by
packets, `bridge` makes placeholders; `media` and `h264` read what a file is. Everything streams: no
function holds all frames or packets of a file.
"""

"""Recordings: what they are, their frames and their sound, the pictures drawn of them, proxies.

Both apps read videos through this package. `probe` looks at a file of unknown origin, `frame_index`
reads the times of all frames, `facts` what splicing has to know; `frames`, `stills` and `samples`
decode. No function holds all frames or packets of a file.
"""

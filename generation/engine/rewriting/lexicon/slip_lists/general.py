"""Slips anywhere: `text |` and, on the next line, what puts it right."""

SLIPS = """
Bump against the {surface} and shift everything on it |
    Push what was shifted on the {surface} back into place
Spill some of the {liquid} on the {surface} |
    Wipe the spilled {liquid} off the {surface}
Splash {liquid} on a sleeve |
    Dab the {liquid} off the sleeve
Dribble some {liquid} past the {container} |
    Wipe up the {liquid} beside the {container}
Scatter some {powder} on the {surface} |
    Sweep the scattered {powder} off the {surface}
Drop some of the {powder} on the floor |
    Sweep the {powder} off the floor
Throw some {powder} over the edge of the {flowerpot} |
    Brush the {powder} off the edge of the {flowerpot}
Knock the {flowerpot} against the {surface} |
    Check the {flowerpot} for cracks from the knock
Tip the {flowerpot} to one side |
    Set the {flowerpot} upright again
Drag the {flowerpot} across the {surface} |
    Lift the {flowerpot} and check the {surface} for scratches
Set the {flowerpot} down at the edge of the {surface} |
    Push the {flowerpot} back from the edge of the {surface}
Drop a coin into the {flowerpot} |
    Fish the coin out of the {flowerpot}
Leave muddy prints on the {flowerpot} |
    Wipe the muddy prints off the {flowerpot}
Bend the {shoot} with a thumb |
    Straighten the bent {shoot}
Brush against the {shoot} with a sleeve |
    Pull the sleeve away from the {shoot}
Squeeze the {shoot} between two fingers |
    Let go of the squeezed {shoot}
Lay the {shoot} down on the dirty {surface} |
    Lift the {shoot} off the {surface} and rinse off the dirt
Snap a piece off the {shoot} |
    Trim the broken end of the {shoot}
Shake the {plant} by its stem |
    Hold the {plant} still and straighten its stem
Pull a healthy leaf off the {plant} |
    Pick up the leaf that came off the {plant}
Knock soil off the {plant} onto the {surface} |
    Sweep the soil of the {plant} off the {surface}
Touch the contacts of the {supply} with a thumb |
    Wipe the thumb mark off the contacts of the {supply}
Shake the {supply} over the {surface} |
    Hold the {supply} level above the {surface}
Drop the {supply} on the {surface} |
    Pick up the {supply} and check it for damage
Turn the {supply} over on the {surface} |
    Turn the {supply} the right way up on the {surface}
Get ink from the {supply} on a finger |
    Wipe the ink of the {supply} off the finger
Squeeze the {supply} with both hands |
    Let go of the {supply} and check it for leaks
Press a wrong button on the {device} |
    Cancel what the wrong button started on the {device}
Push the {device} toward the edge of the {surface} |
    Pull the {device} back from the edge of the {surface}
Rest an elbow on the {device} |
    Take the elbow off the {device}
Pull at the cord of the {device} |
    Push the plug of the {device} back in
Lean on the {panel} |
    Take the weight off the {panel} and check that it moves
Push a finger under the edge of the {panel} |
    Pull the finger out from under the {panel}
Smear the {panel} with a greasy thumb |
    Polish the thumb mark off the {panel}
Crease the {paper} |
    Smooth out the creased {paper}
Drop the {paper} on the floor |
    Pick the {paper} up from the floor
Smudge the {paper} with a wet thumb |
    Dab the wet smudge off the {paper}
Stick the {paper} to a sleeve |
    Peel the {paper} off the sleeve
Leave a fingerprint on the {container} |
    Polish the fingerprint off the {container}
Tap the {container} against the edge of the {surface} |
    Check the {container} for chips from the tap
Put a thumb inside the {container} |
    Rinse the thumb mark out of the {container}
Wipe the {blade} on the trousers |
    Wipe the {blade} clean again
Leave the {blade} open on the edge of the {surface} |
    Push the {blade} back from the edge of the {surface}
Snip at the air with the {blade} |
    Hold the {blade} still and point it down
Rest an elbow on the {surface} and slip |
    Wipe the smear of the elbow off the {surface}
Wipe both hands on the trousers |
    Wash both hands that touched the trousers
Pull at the {cloth} until it frays |
    Trim the frayed edge of the {cloth}
Drop the {part} on the floor |
    Pick the {part} up from the floor
Roll the {part} across the {surface} |
    Catch the {part} and lay it down again
Press the {part} in the wrong way round |
    Take the {part} out again and turn it around
Turn the {part} over on the {surface} |
    Turn the {part} back over on the {surface}
Knock two parts against each other |
    Check both parts for marks
Push a cup of coffee into the middle of the {surface} |
    Move the cup of coffee off the {surface}
Lean on the {surface} until it tilts |
    Set the {surface} level and pick up what fell off
Pick up the phone and put it down in the way |
    Move the phone out of the way
Drop a pen on the floor |
    Pick the pen up from the floor
Kick against the leg of the {surface} |
    Straighten what moved on the {surface}
"""

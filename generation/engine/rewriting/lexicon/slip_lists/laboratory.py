"""Slips in a laboratory: `text |` and, on the next line, what puts it right."""

SLIPS = """
Touch the tip of the {swab} with bare fingers |
    Wipe the tip of the {swab} and hold it by the shaft
Brush the {swab} against a sleeve |
    Take the sleeve away from the {swab}
Lay the tip of the {swab} on the {surface} |
    Lift the tip of the {swab} off the {surface}
Wave the {swab} through the air |
    Hold the {swab} still over the {surface}
Bump the {swab} against the edge of the {container} |
    Check the tip of the {swab} for damage
Spill a few drops of the {liquid} on the {surface} |
    Blot the drops of {liquid} off the {surface}
Get a drop of the {liquid} on a sleeve |
    Dab the drop of {liquid} off the sleeve
Sniff at the {liquid} from close up |
    Turn the face away from the {liquid}
Leave the {liquid} open to the air |
    Cover the {liquid} that was left open
Shake the {container} until it foams |
    Let the foam in the {container} settle
Tilt the {container} until it nearly runs out |
    Hold the {container} upright again
Breathe on the open {container} |
    Turn away from the open {container} and cover it by hand
Touch the inside of the {container} with a finger |
    Rinse the touched inside of the {container}
Bump against the {container} with an elbow |
    Steady the {container} and wipe around it
Set the {container} down at the edge of the {surface} |
    Push the {container} back from the edge of the {surface}
Hold the {container} by its rim |
    Take the {container} lower down and wipe its rim
Smudge the label of the {container} with a wet thumb |
    Write the label of the {container} anew
Lay the wet {rod} on the bare {surface} |
    Pick up the {rod} and wipe the {surface}
Tap the {rod} against the {surface} |
    Check the {rod} for cracks
Roll the {rod} across the {surface} |
    Catch the {rod} and wipe it
Press a thumb on the {indicator} |
    Wipe the thumb mark off the {indicator}
Turn the {indicator} face down on the {surface} |
    Turn the {indicator} face up on the {surface}
Bend the {indicator} between two fingers |
    Straighten the bent {indicator}
Wave the {indicator} through the air |
    Keep the {indicator} still and level
Lay the {indicator} on a wet spot of the {surface} |
    Lift the {indicator} off the wet spot and dry the {surface}
Splash water on the {paper} |
    Blot the water off the {paper}
Write a number on the wrong line of the {paper} |
    Cross out the wrong number on the {paper}
Fold a corner of the {paper} |
    Smooth out the folded corner of the {paper}
Smear the ink on the {paper} with a sleeve |
    Go over the smeared ink on the {paper} again
Set the {sheet} down in a puddle |
    Lift the {sheet} out of the puddle and dry it
Tear the {pack} across the printed side |
    Tape the torn side of the {pack}
Sweep the {pack} off the {surface} with an elbow |
    Pick the {pack} up and set it on the {surface}
Scratch the nose with a gloved hand |
    Change the glove that touched the nose
Push the {protection} up with a wet finger |
    Wipe the wet mark off the {protection}
Lift the {protection} for a moment to see better |
    Pull the {protection} down into place
Lean on the {surface} with an unwashed hand |
    Wipe the hand print off the {surface}
Rest a wet sleeve on the {surface} |
    Lift the wet sleeve and dry the {surface}
Drop a pen into the sink |
    Fish the pen out of the sink and dry it
Rub an eye with the back of a hand |
    Wash the hand that touched the eye
"""

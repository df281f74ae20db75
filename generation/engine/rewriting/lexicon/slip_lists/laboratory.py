"""Slips in a laboratory: `text |` and, on the next line, what puts it right."""

SLIPS = """
Touch the tip of the {swab} with [bare fingers/a sleeve/a wet glove] |
    Wipe the tip of the {swab} and hold it by the shaft
Brush the {swab} against [a sleeve/the lab coat/the wall] |
    Take the {swab} away from the [sleeve/lab coat/wall]
Lay the tip of the {swab} on the [{surface}/instructions/lid] |
    Lift the tip of the {swab} off the [{surface}/instructions/lid]
Wave the {swab} through the air |
    Hold the {swab} still over the {surface}
Bump the {swab} against the edge of the {container} |
    Check the tip of the {swab} for damage
Bend the {swab} [against the {surface}/between two fingers/over a thumb] |
    Straighten the bent {swab}
Spill a few drops of the {liquid} on the [{surface}/floor/label/clipboard] |
    Blot the drops of {liquid} off the [{surface}/floor/label/clipboard]
Get a drop of the {liquid} on [a sleeve/a shoe/the back of a hand] |
    Dab the drop of {liquid} off the [sleeve/shoe/hand]
Sniff at the {liquid} from close up |
    Turn the face away from the {liquid}
Leave the {liquid} open [to the air/beside the window/next to an elbow] |
    Cover the {liquid} that was left open
Dip a [finger/pen/sleeve] into the {liquid} |
    Take the [finger/pen/sleeve] out of the {liquid} and rinse it
Shake the {container} until it [foams/drips/slops over] |
    Hold the {container} still and dry it from outside
Tilt the {container} until it nearly runs out |
    Hold the {container} upright again
[Breathe/Cough/Sneeze] on the open {container} |
    Turn away from the open {container} and cover it by hand
Touch the inside of the {container} with [a finger/a pen/a glove] |
    Rinse the touched inside of the {container}
Bump against the {container} with [an elbow/a sleeve/a pen/the notebook] |
    Steady the {container} and wipe around it
Set the {container} down [at the edge of the {surface}/on a pen/on a crumpled tissue] |
    Lift the {container} and set it down in the middle of the {surface}
Hold the {container} [by its rim/with two fingers/against the chest] |
    Put the {container} down and wipe its rim
Smudge the label of the {container} with a [wet thumb/sleeve/wet glove] |
    Write the label of the {container} anew
Clink the {container} against [a bottle/the tap/another glass] |
    Check the {container} for cracks
Drop a [paper clip/pencil/bit of paper] into the {container} |
    Take the [paper clip/pencil/bit of paper] out and rinse the {container}
Wipe the rim of the {container} with [a sleeve/a thumb/a used tissue] |
    Rinse the rim of the {container}
Lay the wet {rod} on the [bare {surface}/notebook/lid] |
    Pick up the {rod} and wipe the [{surface}/notebook/lid]
Tap the {rod} against the [{surface}/tap/bottle/edge of the sink] |
    Check the {rod} for cracks
Roll the {rod} across the [{surface}/notebook] |
    Catch the {rod} and wipe it
Point at the [clock/window/notebook] with the wet {rod} |
    Lower the {rod} and wipe up its drops
Wipe the {rod} on [a sleeve/the lab coat/a used tissue] |
    Rinse the {rod} that touched the [sleeve/lab coat/tissue]
Press a [thumb/pen/wet finger] on the {indicator} |
    Wipe the mark of the [thumb/pen/finger] off the {indicator}
Turn the {indicator} face down on the [{surface}/notebook/lid] |
    Turn the {indicator} face up on the [{surface}/notebook/lid]
Bend the {indicator} [between two fingers/against the {surface}/in the middle] |
    Straighten the bent {indicator}
Wave the {indicator} through the air |
    Keep the {indicator} still and level
Lay the {indicator} on a [wet spot/dusty corner/sticky ring] of the {surface} |
    Lift the {indicator} off the {surface} and clean the [wet spot/corner/sticky ring]
Splash water on the {paper} |
    Blot the water off the {paper}
Write a [number/name/date] on the wrong line of the {paper} |
    Cross out the wrong [number/name/date] on the {paper}
Fold [a corner/the edge] of the {paper} |
    Smooth out the folded [corner/edge] of the {paper}
Smear the ink on the {paper} with [a sleeve/a wet thumb/a glove] |
    Go over the smeared ink on the {paper} again
Set a [wet beaker/dripping bottle/cup of tea] down on the {paper} |
    Lift the [beaker/bottle/cup] off the {paper} and blot the ring
Set the {sheet} down in a puddle |
    Lift the {sheet} out of the puddle and dry it
[Drip/Splash] water on the {sheet} |
    Blot the water off the {sheet}
Cover the {sheet} with [the notebook/a tray/a glove] |
    Take the [notebook/tray/glove] off the {sheet}
Tear the {pack} across the [printed side/label/bottom] |
    Tape the torn side of the {pack}
Sweep the {pack} off the {surface} with [an elbow/a sleeve/the notebook] |
    Pick the {pack} up and set it on the {surface}
Crush a corner of the {pack} with [an elbow/a thumb/a bottle] |
    Press the crushed corner of the {pack} back into shape
Scratch the [nose/neck/chin/ear] with a gloved hand |
    Change the glove that touched the [nose/neck/chin/ear]
Push the {protection} up with a wet [finger/thumb/wrist] |
    Wipe the wet mark off the {protection}
Lift the {protection} for a moment to [see better/scratch an eye/read a label] |
    Pull the {protection} down into place
Lean on the {surface} with [an unwashed/a wet/a gloved] hand |
    Wipe the hand print off the {surface}
Rest a wet [sleeve/bottle/cloth] on the {surface} |
    Lift the wet [sleeve/bottle/cloth] and dry the {surface}
Drop a [pen/glove/label] into the sink |
    Fish the [pen/glove/label] out of the sink and dry it
Rub an eye with the back of a hand |
    Wash the hand that touched the eye
Leave the tap running over [a bottle/an empty tray] |
    Turn off the running tap and empty the [bottle/tray]
Knock over [a rack of empty tubes/a stack of cups/the pen holder] |
    Set [the rack of tubes/the stack of cups/the pen holder] up again
"""

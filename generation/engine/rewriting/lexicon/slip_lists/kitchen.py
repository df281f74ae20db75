"""Slips in a kitchen: `text |` and, on the next line, what puts it right."""

SLIPS = """
Spill some of the {liquid} on the {surface} |
    Wipe the spilled {liquid} off the {surface}
Drip {liquid} along the {surface} |
    Mop up the drips of {liquid} on the {surface}
Splash {liquid} over the edge of the {container} |
    Wipe the splashed {liquid} off the {container}
Pour extra {liquid} into the {pan} |
    Ladle the extra {liquid} out of the {pan}
Knock over the bottle of {liquid} |
    Stand the bottle of {liquid} up again and wipe around it
Drip {liquid} on a sleeve |
    Dab the {liquid} off the sleeve
Step into a puddle of {liquid} on the floor |
    Mop the puddle of {liquid} off the floor
Scatter some {powder} over the {surface} |
    Sweep the scattered {powder} off the {surface}
Sprinkle {powder} beside the {container} |
    Brush the {powder} away from the {container}
Shake {powder} onto the {pan} handle |
    Wipe the {powder} off the {pan} handle
Drop some of the {powder} on the floor |
    Sweep the {powder} off the floor
Leave the {powder} next to the wet sink |
    Move the {powder} away from the sink
Breathe in some of the {powder} and sneeze on the {surface} |
    Wipe the {surface} and move the {powder} away
Rest the dripping {utensil} on the {surface} |
    Pick up the {utensil} and wipe the drips off the {surface}
Lick the {utensil} and keep using it |
    Rinse the licked {utensil} under the tap
Drop the {utensil} on the floor |
    Pick the {utensil} up from the floor and rinse it
Knock the {utensil} against the edge of the sink |
    Check the {utensil} for dents and rinse it
Wave the dripping {utensil} over the {surface} |
    Hold the {utensil} still and wipe the drips off the {surface}
Dip a finger into the {soft} |
    Wash the finger and smooth out the {soft}
Smear some of the {soft} on the {surface} |
    Wipe the smear of {soft} off the {surface}
Drop a piece of the {food} on the floor |
    Pick the dropped piece of {food} up from the floor
Squash some of the {food} on the {surface} |
    Scrape the squashed {food} off the {surface}
Nibble at the {food} |
    Cut the bitten end off the {food}
Push some of the {food} off the edge of the {surface} |
    Pick up the {food} that fell off the {surface} and rinse it
Touch the {food} with unwashed hands |
    Wash both hands that touched the {food}
Drip sauce on the {food} |
    Blot the sauce off the {food}
Roll the {egg} across the {surface} |
    Catch the {egg} and lay it down safely
Tap the {egg} against the {surface} with a bang |
    Check the {egg} for cracks and pick the bits off the {surface}
Touch the bottom of the {pan} with greasy fingers |
    Wipe the finger marks off the bottom of the {pan}
Tilt the {pan} until its contents slop over |
    Set the {pan} level and wipe off what slopped over
Scrape the inside of the {pan} with a fork |
    Check the {pan} for scratches and put the fork down
Bump against the handle of the {pan} |
    Turn the handle of the {pan} to the back
Leave a dry towel next to the {pan} |
    Move the towel away from the {pan}
Tear the {pack} open along the side |
    Fold the torn side of the {pack} shut
Knock the {pack} over on the {surface} |
    Stand the {pack} upright on the {surface} again
Leave the {pack} open at the edge of the {surface} |
    Close the {pack} and push it back from the edge
Squeeze the {pack} until it bulges |
    Let go of the {pack} and press it back into shape
Wipe the {blade} on a sleeve |
    Rinse the {blade} that touched the sleeve
Leave the {blade} at the edge of the {surface} |
    Push the {blade} back from the edge of the {surface}
Nick the {board} with a knife |
    Scrape the splinters off the {board}
Drag the {board} across the {surface} with a jerk |
    Push the {board} back to its place
Set a wet glass down on the {board} |
    Take the glass away and dry the {board}
Balance the {container} on the edge of the {surface} |
    Move the {container} away from the edge of the {surface}
Bump against the {container} with an elbow |
    Steady the {container} and wipe up what slopped over
Put a thumb inside the {container} |
    Rinse the thumb mark out of the {container}
Set the {container} down on a wet spot |
    Lift the {container} and dry the wet spot under it
Put the {container} down on top of the recipe |
    Take the recipe out from under the {container}
Lift the {device} by its cord |
    Set the {device} down and straighten the cord
Splash water on the plug of the {device} |
    Dry the water off the plug of the {device}
Smear juice of the {produce} across the {surface} |
    Wipe the juice of the {produce} off the {surface}
Drag the {cloth} through a puddle on the {surface} |
    Wring out the {cloth} over the sink
Splatter the {sheet} with water |
    Pat the wet {sheet} dry
Put a hot spoon down on the bare {surface} |
    Lift the hot spoon off the {surface} and rest it on a saucer
Leave the tap running into the empty sink |
    Turn off the running tap over the sink
Wipe both hands on the trousers |
    Wash both hands that touched the trousers
Leave a drawer open at knee height |
    Push the open drawer shut
Drop a towel on the kitchen floor |
    Pick the towel up from the floor and take a clean one
Scratch the head and go on without washing the hands |
    Wash the hands that touched the head
Bump against the {surface} |
    Push what moved on the {surface} back into place
Pick up the phone with sticky fingers |
    Put the phone away and wash the sticky fingers
"""

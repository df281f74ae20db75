"""Slips in first aid: `text |` and, on the next line, what puts it right."""

SLIPS = """
Tilt the {patient}'s head to one side and let go |
    Bring the {patient}'s head back to the middle
Lean on the {patient}'s stomach with one elbow |
    Take the elbow off the {patient}'s stomach
Shake the {patient}'s leg |
    Let go of the {patient}'s leg and lay it flat
Lift the {patient}'s shoulders off the ground |
    Lower the {patient}'s shoulders to the ground
Slap the {patient}'s cheek |
    Take the hand away from the {patient}'s cheek
Loosen a shoelace of the {patient} |
    Turn away from the shoelace and back to the {patient}'s chest
Kneel on the {patient}'s sleeve |
    Free the {patient}'s sleeve and kneel beside it
Pinch the arm of the {patient} |
    Let go of the pinched arm of the {patient}
Press on the {patient}'s {body} with one finger |
    Take the finger off the {patient}'s {body}
Check a wristwatch and look away from the {patient} |
    Lower the wristwatch and turn back to the {patient}
Pull at the {patient}'s collar |
    Let go of the {patient}'s collar and smooth it down
Step over the {patient}'s legs |
    Step back to the {patient}'s side
Drop the {dressing} on the {surface} |
    Replace the {dressing} that fell on the {surface}
Touch the {dressing} with bare fingers |
    Swap the touched {dressing} for a fresh one
Crumple the {dressing} in the hand |
    Smooth out the crumpled {dressing}
Stretch the {dressing} out of shape |
    Swap the stretched {dressing} for a fresh one
Brush the {dressing} against a sleeve |
    Swap the {dressing} that touched the sleeve for a fresh one
Breathe on the {dressing} |
    Turn the face away from the {dressing}
Touch the {wound} with an unwashed finger |
    Rinse the {wound} and wash the finger
Blow on the {wound} |
    Turn the face away and rinse the {wound} once more
Scratch the skin beside the {wound} |
    Leave the skin beside the {wound} alone
Wipe the {wound} with a sleeve |
    Rinse the {wound} that the sleeve touched
Bump the {wound} against the {surface} |
    Hold the {wound} clear of the {surface}
Rub cream into the {wound} |
    Rinse the cream off the {wound}
Pull at the skin around the {wound} |
    Let go of the skin around the {wound}
Splash the {liquid} on the {surface} |
    Dry the splashed {liquid} on the {surface}
Spill the {liquid} over a sleeve |
    Wring the {liquid} out of the sleeve
Stretch the {protection} until a tear shows |
    Replace the torn {protection}
Wipe the {protection} on the trousers |
    Replace the {protection} that touched the trousers
Drag the {cloth} across the {surface} |
    Take a clean cloth in place of the soiled {cloth}
Wipe the nose with the {cloth} |
    Clean the nose with a tissue and swap the used {cloth}
Pick up the phone with wet hands |
    Put the phone away and dry both hands
Rub both hands on the trousers |
    Wash both hands that touched the trousers
Touch the door handle with clean hands |
    Wash the hands that touched the door handle
Knock the first aid kit off the {surface} |
    Pick the first aid kit up and sort its contents
Scratch the nose |
    Wash the hand that touched the nose
Leave the first aid kit open in the way |
    Close the first aid kit and push it aside
"""

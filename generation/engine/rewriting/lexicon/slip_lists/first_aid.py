"""Slips in first aid: `text |` and, on the next line, what puts it right."""

SLIPS = """
Tilt the {patient}'s head to one side and let go |
    Bring the {patient}'s head back to the middle
Lean on the {patient}'s [stomach/arm/thigh] with one [elbow/hand/knee] |
    Take the weight off the {patient}'s [stomach/arm/thigh]
Shake the {patient}'s [leg/arm/foot] |
    Let go of the {patient}'s [leg/arm/foot] and lay it flat
Lift the {patient}'s [shoulders/legs/hips] off the ground |
    Lower the {patient}'s [shoulders/legs/hips] to the ground
Slap the {patient}'s [cheek/hand/forehead] |
    Take the hand away from the {patient}'s [cheek/hand/forehead]
Loosen a shoelace of the {patient} |
    Turn away from the shoelace and back to the {patient}'s chest
Kneel on the {patient}'s [sleeve/jacket/hair] |
    Free the {patient}'s [sleeve/jacket/hair] and kneel beside it
Pinch the [arm/ear/cheek] of the {patient} |
    Let go of the pinched [arm/ear/cheek] of the {patient}
Press on the {patient}'s {body} with [one finger/an elbow/a knee] |
    Take the [finger/elbow/knee] off the {patient}'s {body}
Check [a wristwatch/the phone/the clock] and look away from the {patient} |
    Leave the [wristwatch/phone/clock] alone and turn back to the {patient}
Pull at the {patient}'s [collar/sleeve/belt] |
    Let go of the {patient}'s [collar/sleeve/belt] and smooth it down
Step over the {patient}'s [legs/arm/head] |
    Step back to the {patient}'s side
Drop the {dressing} [on the {surface}/on the floor/into the sink/on a shoe] |
    Replace the {dressing} that fell [on the {surface}/on the floor/into the sink/on the shoe]
Touch the {dressing} with [bare fingers/a wet thumb/the lips] |
    Swap the touched {dressing} for a fresh one
Crumple the {dressing} [in the hand/in a pocket/between two fingers] |
    Smooth out the crumpled {dressing}
Stretch the {dressing} [out of shape/until it tears/until it frays] |
    Swap the stretched {dressing} for a fresh one
Brush the {dressing} against [a sleeve/the trousers/a chair/the tap] |
    Swap the {dressing} that touched the [sleeve/trousers/chair/tap] for a fresh one
[Breathe/Cough/Sneeze] on the {dressing} |
    Turn the face away and take a fresh {dressing}
Lay the {dressing} down on [a wet spot/an open magazine/the bare {surface}] |
    Swap the {dressing} that lay on the [wet spot/magazine/{surface}] for a fresh one
Dip the {dressing} into [a puddle/a glass of water/some soap] |
    Swap the wet {dressing} for a dry one
Touch the {wound} with [an unwashed finger/a fingernail/a wet thumb/the back of a hand] |
    Rinse the {wound} and wash the [finger/fingernail/thumb/hand]
[Blow/Breathe/Cough] on the {wound} |
    Turn the face away and rinse the {wound} once more
[Scratch/Pinch/Knead/Tap] the skin beside the {wound} |
    Leave the skin beside the {wound} alone
Wipe the {wound} with [a sleeve/a handkerchief/the back of a hand] |
    Rinse the {wound} that the [sleeve/handkerchief/hand] touched
Bump the {wound} against [the {surface}/the tap/a door/a chair] |
    Hold the {wound} clear of the [{surface}/tap/door/chair]
Rub [cream/oil/toothpaste/butter] into the {wound} |
    Rinse the [cream/oil/toothpaste/butter] off the {wound}
[Pull/Pick/Poke] at the skin around the {wound} |
    Take the fingers off the skin around the {wound}
Press a [coin/wet sponge/sleeve] on the {wound} |
    Take the [coin/wet sponge/sleeve] off the {wound} and rinse it
Splash the {liquid} on the [{surface}/floor/phone/mirror] |
    Dry the splashed {liquid} on the [{surface}/floor/phone/mirror]
Spill the {liquid} over [a sleeve/the trousers/a shoe/the first aid kit] |
    Dab the {liquid} off the [sleeve/trousers/shoe/first aid kit]
Stretch the {protection} until a tear shows |
    Replace the torn {protection}
Wipe the {protection} on the [trousers/sleeves/chair/towel] |
    Replace the {protection} that touched the [trousers/sleeves/chair/towel]
Touch [the face/the door handle/the phone/a light switch] with the {protection} on |
    Replace the {protection} that touched [the face/the door handle/the phone/the light switch]
Drop the {soap} [into the sink/on the floor/on a shoe] |
    Pick up the {soap} and rinse it
Rub the {soap} on [the trousers/a sleeve/the tap/the mirror] |
    Wipe the {soap} off [the trousers/the sleeve/the tap/the mirror]
Rub some {soap} into [one eye/the mouth/a sleeve] |
    Rinse the {soap} out of the [eye/mouth/sleeve]
Drop the {jewel} [into the sink/on the floor/behind the {surface}] |
    Pick up the {jewel} and put it in a pocket
Twist the {jewel} around the burned skin |
    Hold the {jewel} still and away from the skin
Pull at the {jewel} [with a jerk/with wet fingers/with one finger] |
    Let go of the {jewel} and hold it gently
Rest a [sleeve/newspaper/towel] on the {hot} |
    Take the [sleeve/newspaper/towel] off the {hot}
Set the {hot} down [on the carpet/at the edge of the {surface}/flat on a shirt] |
    Stand the {hot} up on its heel
Touch the {hot} to see if it is still hot |
    Take the finger off the {hot} and cool it
Pull the {hot} by its cord |
    Let go of the cord of the {hot}
Drag the {cloth} across the [{surface}/floor/chair] |
    Take a clean cloth in place of the soiled {cloth}
Wipe the [nose/forehead/mouth] with the {cloth} |
    Swap the {cloth} that wiped the [nose/forehead/mouth] for a clean one
Drop the {cloth} [on the floor/into the sink/on a shoe] |
    Swap the {cloth} that fell [on the floor/into the sink/on the shoe] for a clean one
Pick up the [phone/newspaper/keys] with wet hands |
    Put the [phone/newspaper/keys] away and dry both hands
Rub both hands on the [trousers/sweater/curtain/hair] |
    Wash both hands that touched the [trousers/sweater/curtain/hair]
Touch the [door handle/light switch/table lamp/waste bin] with clean hands |
    Wash the hands that touched the [door handle/light switch/table lamp/waste bin]
Knock over the first aid kit with [an elbow/a foot/a knee] |
    Pick the first aid kit up and sort its contents
Scratch the [nose/neck/scalp/chin] |
    Wash the hand that scratched the [nose/neck/scalp/chin]
Leave the first aid kit open [in the way/on the wet {surface}/beside the tap] |
    Close the first aid kit and push it aside
Tear open a second pack of [gauze/plasters/wipes] |
    Put the second pack of [gauze/plasters/wipes] aside
Sit down on the [first aid kit/clean towel/phone] |
    Get up from the [first aid kit/clean towel/phone] and check it
Leave the tap running over a [sleeve/watch/shoe] |
    Turn off the running tap and dry the [sleeve/watch/shoe]
"""

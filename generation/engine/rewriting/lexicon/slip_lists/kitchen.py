"""Slips in a kitchen: `text |` and, on the next line, what puts it right."""

SLIPS = """
[Spill/Slop/Tip] some of the {liquid} on the {surface} |
    Wipe the spilled {liquid} off the {surface}
Drip {liquid} [along the {surface}/down the cabinet door/on the floor] |
    Mop up the drips of {liquid} [on the {surface}/on the cabinet door/on the floor]
Splash {liquid} [over the edge/down the outside] of the {container} |
    Wipe the splashed {liquid} off the {container}
Pour [extra/too much/still more] {liquid} into the {pan} |
    Ladle the extra {liquid} out of the {pan}
Knock over the bottle of {bottled} [with an elbow/with a sleeve/with the back of a hand] |
    Stand the bottle of {bottled} up again and wipe around it
Drip {liquid} on [a sleeve/a shoe/the trousers/the recipe] |
    Dab the {liquid} off [the sleeve/the shoe/the trousers/the recipe]
Step into a puddle of {liquid} on the floor |
    Mop the puddle of {liquid} off the floor
Dip a [sleeve/thumb] into the {liquid} |
    Pull the [sleeve/thumb] out of the {liquid} and dry it
[Scatter/Spill/Tip] some {powder} over the {surface} |
    Sweep the {powder} off the {surface}
Sprinkle {powder} [beside the {container}/on the rim of the {container}] |
    Brush the {powder} away from the {container}
Shake {powder} onto the {pan} handle |
    Wipe the {powder} off the {pan} handle
[Drop/Spill] some of the {powder} [on the floor/into a drawer/on the stove/into the sink] |
    [Sweep/Brush] the {powder} [off the floor/out of the drawer/off the stove/out of the sink]
Leave the {powder} next to the [wet sink/steaming kettle/hot stove] |
    Move the {powder} away from the [sink/kettle/stove]
Breathe in some of the {powder} and sneeze on the {surface} |
    Wipe the {surface} and move the {powder} away
Touch the {powder} with [wet fingers/a wet spoon/sticky fingers] |
    Take the lumps out of the {powder} and dry [both hands/the spoon/both hands]
Rest the dripping {utensil} on [the {surface}/a clean towel/the recipe] |
    Pick up the {utensil} and wipe the drips off [the {surface}/the towel/the recipe]
Lick the {utensil} and keep using it |
    Rinse the licked {utensil} under the tap
Drop the {utensil} [on the floor/into the sink/behind the stove/into the trash can] |
    Pick the {utensil} up [from the floor/from the sink/from behind the stove/again] and rinse it
Knock the {utensil} against the [edge of the sink/edge of the {surface}/tap/cabinet door] |
    Check the {utensil} for dents and rinse it
Wave the dripping {utensil} over the [{surface}/floor/recipe] |
    Hold the {utensil} still and wipe the drips off the [{surface}/floor/recipe]
Wipe the {utensil} on [a sleeve/the trousers/a dirty towel] |
    Rinse the {utensil} that touched [the sleeve/the trousers/the dirty towel]
Scratch the [chin/neck/arm] with the {utensil} |
    Rinse the {utensil} that touched the [chin/neck/arm]
Dip [a finger/a sleeve/a thumb] into the {soft} |
    Wash the [finger/sleeve/thumb] and smooth out the {soft}
Smear some of the {soft} on [the {surface}/a sleeve/the cabinet door/the tap] |
    Wipe the smear of {soft} off [the {surface}/the sleeve/the cabinet door/the tap]
Drop [a piece/some] of the {food} [on the floor/into the sink/on a shoe] |
    Pick the dropped {food} up [from the floor/from the sink/from the shoe]
Squash some of the {food} [on the {surface}/with an elbow/between two fingers] |
    Scrape the squashed {food} [off the {surface}/off the sleeve/off the fingers]
[Nibble at/Bite into] the {food} |
    Cut the bitten end off the {food}
Push some of the {food} off the edge of the {surface} [with an elbow/with a sleeve/by mistake] |
    Pick up the {food} that fell off the {surface} and rinse it
Touch the {food} with [unwashed hands/soapy hands/greasy fingers] |
    Rinse the {food} and wash [both hands/both hands/the fingers]
Drip [sauce/dishwater/lemon juice] on the {food} |
    Blot the [sauce/dishwater/lemon juice] off the {food}
Lay the {food} down on [the bare {surface}/a damp towel/the recipe] |
    Lift the {food} off [the {surface}/the towel/the recipe] and rinse it
Drop the {bread} [on the floor/into the sink/onto a wet spot of the {surface}] |
    Pick up the {bread} and cut off what [got dirty/got wet/got wet]
Press a [thumb/knuckle/palm] into the {bread} |
    Take the [thumb/knuckle/palm] off the {bread} and smooth out the dent
[Nibble at/Bite into/Tear a piece off] the {bread} |
    Trim the torn edge of the {bread}
Lean on the {bread} with [an elbow/one hand/the wrist] |
    Press the flattened {bread} back into shape
Drip [water/oil/sauce] on the {bread} |
    Blot the [water/oil/sauce] off the {bread}
Roll the {egg} across the [{surface}/recipe] |
    Catch the {egg} and lay it down safely
Tap the {egg} against the [{surface}/tap/edge of the sink] with a bang |
    Check the {egg} for cracks
Touch the bottom of the {pan} with [greasy fingers/a wet towel/a soapy sponge] |
    Wipe the marks off the bottom of the {pan}
Tilt the {pan} until its contents slop over |
    Set the {pan} level and wipe off what slopped over
Scrape the inside of the {pan} with a [fork/knife/spoon handle] |
    Check the {pan} for scratches and put the [fork/knife/spoon] down
Bump against the handle of the {pan} [with a hip/with an elbow/with a sleeve] |
    Turn the handle of the {pan} to the back
Leave a [dry towel/paper bag/plastic lid/oven glove] next to the {pan} |
    Move the [towel/bag/lid/glove] away from the {pan}
Rest a [wet spoon/plastic spatula/paper towel] on the rim of the {pan} |
    Take the [spoon/spatula/paper towel] off the rim of the {pan}
Tear the {pack} open [along the side/with the teeth/at the bottom] |
    Fold the torn side of the {pack} shut
Knock the {pack} over on the {surface} [with an elbow/with a sleeve/with a spoon] |
    Stand the {pack} upright on the {surface} again
Leave the {pack} open [at the edge of the {surface}/by the sink/beside the stove] |
    Close the {pack} and push it away from the [edge/sink/stove]
Squeeze the {pack} until it bulges |
    Let go of the {pack} and press it back into shape
Set the {pack} down [in a puddle/on a crumb/on its side] |
    Lift the {pack} and [dry the puddle under it/brush the crumb away/stand it up]
Wipe the {blade} on [a sleeve/the trousers/a dirty towel] |
    Rinse the {blade} that touched [the sleeve/the trousers/the dirty towel]
Leave the {blade} [at the edge of the {surface}/under a towel/in the sink] |
    Take the {blade} from [the edge of the {surface}/under the towel/the sink] and lay it down
Point at the [clock/recipe/window] with the {blade} |
    Lower the {blade} and lay it down flat
Tap the {blade} against the [tap/edge of the {surface}/cabinet door] |
    Check the edge of the {blade} for dents
Nick the {board} with [a knife/a fork/the peeler] |
    Scrape the splinters off the {board}
Drag the {board} across the {surface} with a jerk |
    Push the {board} back to its place
Set a [wet glass/hot cup/dirty plate/sticky jar] down on the {board} |
    Take the [glass/cup/plate/jar] away and dry the {board}
Drip [water/sauce/oil] on the {board} |
    Wipe the [water/sauce/oil] off the {board}
Balance the {container} on [the edge of the {surface}/a pile of plates/an upturned cup] |
    Move the {container} down from [the edge of the {surface}/the pile of plates/the cup]
Bump against the {container} with [an elbow/a sleeve/a hip/the back of a hand] |
    Steady the {container} and wipe up what slopped over
Put a [thumb/dirty finger/wet thumb] inside the {container} |
    Rinse the [thumb mark/finger mark/thumb mark] out of the {container}
Set the {container} down [on a wet spot/on a sticky spot/on a heap of crumbs] |
    Lift the {container} and [dry the wet spot/wipe the sticky spot/brush off the crumbs] under it
Put the {container} down on top of [the recipe/a tea towel/the phone] |
    Take [the recipe/the tea towel/the phone] out from under the {container}
Knock the {container} against the [tap/cabinet door/edge of the {surface}/edge of the sink] |
    Check the {container} for chips
Lean over the {container} and [cough/sneeze/drip sweat] |
    Step back from the {container} and wipe its rim
Lift the {device} by its cord |
    Set the {device} down and straighten the cord
Splash water on the [plug/cord/base] of the {device} |
    Dry the water off the [plug/cord/base] of the {device}
Push the {device} [against the wall/to the edge of the {surface}/up to the sink] |
    Pull the {device} back to its place
Hang a [towel/wet cloth] over the {device} |
    Take the [towel/wet cloth] off the {device}
Smear juice of the {produce} across the [{surface}/tap/cabinet door/recipe] |
    Wipe the juice of the {produce} off the [{surface}/tap/cabinet door/recipe]
Drag the {cloth} through [a puddle on the {surface}/some crumbs/a spot of sauce] |
    Wring out the {cloth} over the sink
Drop the {cloth} [on the floor/into the dishwater/onto the stove] |
    Pick up the {cloth} and [shake it out/wring it out/check it for burns]
Splatter the {sheet} with [water/sauce/oil] |
    Pat the wet {sheet} dry
Put a hot spoon down on the bare {surface} |
    Lift the hot spoon off the {surface} and rest it on a saucer
Leave the tap running into the empty sink |
    Turn off the running tap over the sink
Wipe both hands on the [trousers/sweater/curtain/seat of a chair] |
    Wash both hands that touched the [trousers/sweater/curtain/chair]
Leave a [drawer/cabinet door] open at [knee/hip] height |
    Push the open [drawer/cabinet door] shut
Drop a towel on the kitchen floor |
    Pick the towel up from the floor and take a clean one
Scratch the [head/nose/neck/arm] and go on without washing the hands |
    Wash the hands that touched the [head/nose/neck/arm]
Bump against the {surface} [with a hip/with a knee/with an elbow] |
    Push what moved on the {surface} back into place
Pick up the phone with [sticky/wet/greasy] fingers |
    Put the phone away and wash the [sticky/wet/greasy] fingers
Lean on the {surface} with [a sticky/a floury/a greasy] hand |
    Wipe the mark of the hand off the {surface}
"""

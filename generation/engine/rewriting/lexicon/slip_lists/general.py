"""Slips anywhere: `text |` and, on the next line, what puts it right."""

SLIPS = """
Bump against the {surface} [with a knee/with a hip/with an elbow] and shift everything on it |
    Push what was shifted on the {surface} back into place
[Spill/Slop/Tip] some of the {liquid} on the [{surface}/floor/chair] |
    Wipe the spilled {liquid} off the [{surface}/floor/chair]
Splash {liquid} on [a sleeve/a shoe/the wall/the phone] |
    Dab the {liquid} off the [sleeve/shoe/wall/phone]
Dribble some {liquid} [past the {container}/down the side of the {container}] |
    Wipe up the {liquid} beside the {container}
Scatter some {powder} on the [{surface}/chair/windowsill] |
    Sweep the scattered {powder} off the [{surface}/chair/windowsill]
Drop some of the {powder} on [the floor/a shoe/the phone] |
    Brush the {powder} off the [floor/shoe/phone]
Throw some {powder} over the edge of the {flowerpot} |
    Brush the {powder} off the edge of the {flowerpot}
[Rub/Smear/Trail] some {powder} across the [{surface}/wall/door] |
    Brush the {powder} off the [{surface}/wall/door]
Knock the {flowerpot} against the [{surface}/wall/chair/radiator] |
    Check the {flowerpot} for cracks from the knock
Tip the {flowerpot} [to one side/forward/onto its rim] |
    Set the {flowerpot} upright again
Drag the {flowerpot} across the [{surface}/carpet/windowsill] |
    Lift the {flowerpot} and check the [{surface}/carpet/windowsill] for scratches
Set the {flowerpot} down [at the edge of the {surface}/on a newspaper/on the chair/in a draught] |
    Move the {flowerpot} back to the middle of the {surface}
Drop a [coin/pen/key/bottle cap] into the {flowerpot} |
    Fish the [coin/pen/key/cap] out of the {flowerpot}
Leave [muddy prints/wet prints/a greasy mark] on the {flowerpot} |
    Wipe the [muddy prints/wet prints/greasy mark] off the {flowerpot}
Turn the {flowerpot} [around twice/with a jerk/so that it grates] |
    Turn the {flowerpot} back the way it stood
Pour [cold coffee/leftover tea/lemonade] into the {flowerpot} |
    Tip the [coffee/tea/lemonade] out of the {flowerpot}
Bend the {shoot} with [a thumb/a sleeve/the wrist/two fingers] |
    Straighten the bent {shoot}
Brush against the {shoot} with [a sleeve/an elbow/the hair] |
    Pull the [sleeve/elbow/hair] away from the {shoot}
Squeeze the {shoot} [between two fingers/in a fist/with the nails] |
    Let go of the squeezed {shoot}
Lay the {shoot} down on the [dirty {surface}/dry radiator/sunny windowsill] |
    Lift the {shoot} off the [{surface}/radiator/windowsill] and rinse it
[Snap/Pinch/Tear] a piece off the {shoot} |
    Trim the broken end of the {shoot}
Drop the {shoot} on [the floor/a shoe/the chair] |
    Pick the {shoot} up and rinse off the dust
Wave the {shoot} through the air |
    Hold the {shoot} still and check it for damage
Sit the {shoot} under [the phone/a heavy book/the scissors] |
    Take the [phone/book/scissors] off the {shoot}
Shake the {plant} by [its stem/two leaves/its top] |
    Hold the {plant} still and straighten its stem
[Pull/Pinch/Knock] a healthy leaf off the {plant} |
    Pick up the leaf that came off the {plant}
Knock soil off the {plant} onto the [{surface}/carpet/chair/phone] |
    Sweep the soil of the {plant} off the [{surface}/carpet/chair/phone]
Hold the {plant} [by one leaf/on its side/at an angle] for a moment |
    Hold the {plant} upright again
Brush against the {plant} with [a sleeve/an elbow/the face] |
    Step back from the {plant} and straighten its leaves
Bend the top of the {plant} [to one side/down/over the edge] |
    Straighten the bent top of the {plant}
Blow [dust/crumbs/smoke] onto the {plant} |
    Rinse the [dust/crumbs/smoke] off the {plant}
Touch the contacts of the {supply} with [a thumb/a wet finger/a sleeve] |
    Wipe the mark off the contacts of the {supply}
Shake the {supply} over the [{surface}/carpet/chair] |
    Hold the {supply} level above the [{surface}/carpet/chair]
Drop the {supply} on [the {surface}/the floor/a foot/a pile of paper] |
    Pick up the {supply} and check it for damage
Turn the {supply} over on the [{surface}/chair/pile of paper] |
    Turn the {supply} the right way up on the [{surface}/chair/pile of paper]
Smear ink from the {supply} on [a finger/a sleeve/the {surface}/the keyboard] |
    Wipe the ink of the {supply} off the [finger/sleeve/{surface}/keyboard]
Squeeze the {supply} [with both hands/between two fingers/with a fist] |
    Let go of the {supply} and check it for leaks
Knock the {supply} against [the {surface}/a lamp/the wall/the keyboard] |
    Check the {supply} for cracks from the knock
Scratch the {supply} with a [fingernail/key/pen/ring] |
    Check the scratched {supply} for leaks
Blow into the {supply} [through its vent/from below/from close up] |
    Wipe the breath off the {supply}
Wipe the {supply} with [a wet tissue/a sleeve/a bare hand] |
    Let the {supply} dry and check its contacts
Lay the {supply} down [in the sun/on a wet spot/next to the coffee cup] |
    Take the {supply} from [the sun/the wet spot/the coffee cup] and wipe it
Press [a wrong button/two buttons at once/the power button] on the {device} |
    Cancel what the [wrong button/two buttons/power button] started on the {device}
Push the {device} [toward the edge of the {surface}/against the wall/to one side] |
    Pull the {device} back to its place on the {surface}
Rest [an elbow/a cup of coffee/a wet umbrella/a heavy book] on the {device} |
    Take the [elbow/cup/umbrella/book] off the {device}
Pull at the [cord/plug/cable] of the {device} |
    Push the [cord/plug/cable] of the {device} back in
Tap on the {device} with [a pen/a fingernail/a key] |
    Put the [pen/hand/key] down and check the {device}
Bump against the {device} with [an elbow/a knee/a chair/the head] |
    Push the {device} straight again
Shake the {device} with both hands |
    Let go of the {device} and set it straight
Drop a [paper clip/coin/hair clip] into the {device} |
    Fish the [paper clip/coin/hair clip] out of the {device}
Hang a [jacket/scarf/wet cloth] over the {device} |
    Take the [jacket/scarf/cloth] off the {device}
Cover the vents of the {device} with [a hand/a sheet of paper/a sleeve] |
    Clear the vents of the {device}
Switch the {device} off and on again |
    Wait until the {device} is ready again
Lean on the {panel} [with one hand/with an elbow/with a knee] |
    Take the weight off the {panel} and check that it moves
Push a [finger/pen/ruler] under the edge of the {panel} |
    Pull the [finger/pen/ruler] out from under the {panel}
Smear the {panel} with a [greasy/sweaty/wet/sticky] thumb |
    Polish the thumb mark off the {panel}
Bend a corner of the {panel} |
    Press the bent corner of the {panel} flat
[Knock/Drum/Slap] on the {panel} with one hand |
    Take the hand off the {panel} and check that it sits
Scratch the {panel} with a [key/pen/ring/watch] |
    Rub the scratch on the {panel} with a cloth
Rest a [cup of tea/phone/stapler] on the {panel} |
    Take the [cup of tea/phone/stapler] off the {panel}
Crease the {paper} [in the middle/at one corner/along the edge] |
    Smooth out the creased {paper}
Drop the {paper} [on the floor/behind the {surface}/into the waste bin] |
    Pick the {paper} up and blow off the dust
Smudge the {paper} with a [wet/greasy/dirty/sticky] thumb |
    Dab the smudge off the {paper}
Stick the {paper} to [a sleeve/the {surface}/the phone] |
    Peel the {paper} off the [sleeve/{surface}/phone]
Set a [cup of coffee/wet glass/dripping bottle] down on the {paper} |
    Take the [cup/glass/bottle] off the {paper} and blot the ring
Draw [a star/an arrow/a face] on the {paper} |
    Erase the [star/arrow/face] from the {paper}
Fold the {paper} [in half/into a fan/down the middle] |
    Unfold the {paper} and press it flat
Tear a corner off the {paper} |
    Stick the torn corner of the {paper} back on
Wave the {paper} like a fan |
    Lower the {paper} and smooth it out
Crumple the {sticky} [between two fingers/into a ball/in one hand] |
    Pull the crumpled {sticky} flat
Stick the {sticky} to [a sleeve/the {surface}/a thumb/the hair] |
    Peel the {sticky} off the [sleeve/{surface}/thumb/hair]
Drop the {sticky} on [the floor/the carpet/a shoe] |
    Pick the {sticky} up and pull off the fluff
Tear the {sticky} [in two/at one corner/along the edge] |
    Fit the torn {sticky} together again
Fold the {sticky} onto itself |
    Unfold the {sticky} with the fingernails
Kick over the {bin} [with one foot/with a heel/with the chair] |
    Set the {bin} upright again
Drop a [pen/key/phone] into the {bin} |
    Fish the [pen/key/phone] out of the {bin}
Push the {bin} [under the {surface}/into the way/against the wall] with one foot |
    Pull the {bin} back to its place
Sit down on the edge of the {bin} |
    Get up from the {bin} and straighten it
Leave a [fingerprint/greasy smear/wet mark] on the {container} |
    Polish the [fingerprint/smear/mark] off the {container}
Tap the {container} against the [edge of the {surface}/wall/window] |
    Check the {container} for chips from the tap
Put a [thumb/wet finger/pen] inside the {container} |
    Rinse the mark of the [thumb/finger/pen] out of the {container}
Set the {container} down [on the phone/on a wet spot/at the edge of the {surface}] |
    Lift the {container} and set it in the middle of the {surface}
Drop a [crumb/coin/paper clip] into the {filled} |
    Fish the [crumb/coin/paper clip] out of the {filled}
Hold the {container} [by the rim/at an angle/over the chair] |
    Hold the {container} level by its sides
Wipe the {blade} on the [trousers/sleeve/{surface}] |
    Wipe the {blade} clean again
Leave the {blade} open [on the edge of the {surface}/under a sheet of paper/on the chair] |
    Take the {blade} away and close it
Snip at [the air/a loose thread/a sleeve] with the {blade} |
    Hold the {blade} still and point it down
Drop the {blade} [on the floor/on the chair/beside one foot] |
    Pick the {blade} up by the handle
Point at the [clock/window/door] with the {blade} |
    Lower the {blade} and point it down
Tap the {blade} on the [{surface}/glass/window] |
    Hold the {blade} still and check its edge
Tap the {held} against the [{surface}/chair/wall] |
    Hold the {held} still and check it
Point at the [clock/window/door] with the {held} |
    Lower the {held} and go on with care
Roll the {held} [across the {surface}/off the {surface}/between two hands] |
    Catch the {held} and hold it steady
Scratch [an ear/the chin/the neck] with the {held} |
    Take the {held} away from [the ear/the chin/the neck] and wipe it
Put the {held} down [in a puddle/on the phone/on a sleeve/on the chair] |
    Pick up the {held} again and wipe it
Fumble with the {held} [for far too long/with both hands/with wet fingers] |
    Take a firm hold of the {held} again
Toss the {held} from one hand to the other |
    Catch the {held} and hold it firmly
Rest an elbow on the {surface} and slip |
    Wipe the smear of the elbow off the {surface}
Wipe both hands on the [trousers/sweater/curtain/chair] |
    Wash both hands that touched the [trousers/sweater/curtain/chair]
Pull at the {cloth} until it frays |
    Trim the frayed edge of the {cloth}
Drop the {cloth} [on the floor/on a shoe/into the waste bin] |
    Pick the {cloth} up and shake it out
Twist the {cloth} into a [knot/rope] |
    Untwist the {cloth} and shake it out
Crumple the {cloth} [into a ball/into a pocket/in one fist] |
    Shake out the crumpled {cloth}
Wipe the [forehead/nose/phone] with the {cloth} |
    Wash the {cloth} that wiped the [forehead/nose/phone]
Drip [coffee/tea/sweat/juice] on the {thing} |
    Wipe the [coffee/tea/sweat/juice] off the {thing}
Leave a [hair/crumb/thread] on the {thing} |
    Pick the [hair/crumb/thread] off the {thing}
[Sneeze/Cough] on the {thing} |
    Turn the face away and wipe the {thing}
Brush against the {thing} with a [dirty sleeve/wet elbow/greasy wrist] |
    Wipe the mark of the [sleeve/elbow/wrist] off the {thing}
Lean [the phone/an open book/a calendar] against the {upright} |
    Take the [phone/book/calendar] away from the {upright}
Lean a [broom/shopping bag/wet umbrella] against the {large} |
    Take the [broom/shopping bag/umbrella] away from the {large}
Knock a [pen/chair/cup] against the {thing} |
    Move the [pen/chair/cup] away and check the {thing}
Stick a [label/piece of tape/sticky note] on the {thing} |
    Peel the [label/tape/note] off the {thing}
Drop the {part} [on the floor/on a foot/under the {surface}/behind the chair] |
    Pick the {part} up [from the floor/again/from under the {surface}/from behind the chair]
Roll the {part} across the [{surface}/floor/tray] |
    Catch the {part} and lay it down again
Press the {part} in the wrong way round |
    Take the {part} out again and turn it around
Turn the {part} over on the [{surface}/floor/tray] |
    Turn the {part} back over on the [{surface}/floor/tray]
Shake the {part} [next to one ear/with one hand/with both hands] |
    Hold the {part} still and check it
Knock the {part} against the [edge of the {surface}/box/other parts] |
    Check the {part} for marks of the knock
Rub the {part} with [a greasy thumb/a sleeve/a wet finger] |
    Wipe the mark off the {part}
Knock two parts against each other |
    Check both parts for marks
Push a cup of [coffee/tea/juice] into the middle of the {surface} |
    Move the cup of [coffee/tea/juice] off the {surface}
Lean on the {surface} until it tilts |
    Set the {surface} level and pick up what fell off
Put the [phone/newspaper/keys] down in the way |
    Move the [phone/newspaper/keys] out of the way
Drop a [pen/key/coin/paper clip] on the floor |
    Pick the [pen/key/coin/clip] up from the floor
Kick against the leg of the {surface} |
    Straighten what moved on the {surface}
"""

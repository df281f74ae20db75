"""Slips at a bicycle: `text |` and, on the next line, what puts it right."""

SLIPS = """
Drip {liquid} onto [the floor beside the bike/the toolbox/a shoe lace] |
    Wipe the {liquid} off [the floor beside the bike/the toolbox/the shoe lace]
Smear {liquid} on the [brake rotor/brake pads/brake lever] |
    Clean the {liquid} off the [brake rotor/brake pads/brake lever]
Squirt {liquid} onto the [saddle/handlebar/bottle cage/wall] |
    Wipe the {liquid} off the [saddle/handlebar/bottle cage/wall]
Spill {liquid} over the [tools/workbench/floor mat/repair leaflet] |
    Wipe the {liquid} off the [tools/workbench/floor mat/repair leaflet]
Get {liquid} on the [handlebar grip/trousers/door handle] |
    Rub the {liquid} off the [handlebar grip/trousers/door handle]
Leave the bottle of {bottled} open [on the floor/behind one foot/on the saddle] |
    Close the bottle of {bottled} and move it aside
Splash {liquid} on [a shoe/a sleeve/one cheek] |
    Dab the {liquid} off the [shoe/sleeve/cheek]
Let {liquid} run down the [frame/fork/seat post/crank] |
    Wipe the run of {liquid} off the [frame/fork/seat post/crank]
Knock over the bottle of {bottled} with [a knee/a foot/an elbow] |
    Stand the bottle of {bottled} up and wipe around it
Scratch the [frame/fork/rim/chainstay] with the {spanner} |
    Wipe the scratched [frame/fork/rim/chainstay] and set the {spanner} straight
Drop the {spanner} [on the floor/on a foot/into the spokes/under the workbench] |
    Pick the {spanner} up [from the floor/again/out of the spokes/from under the workbench]
Lean the {spanner} against the [spokes/tyre/derailleur] |
    Take the {spanner} away from the [spokes/tyre/derailleur]
Tap the [frame/rim/bell/fork] with the {spanner} |
    Check the [frame/rim/bell/fork] for marks of the {spanner}
Hold the {spanner} by the [greasy end/tip/wrong end] |
    Wipe the {spanner} and take it by the clean end
Leave the {spanner} [under the bike/on the saddle/on top of the tyre/between the spokes] |
    Take the {spanner} from [under the bike/the saddle/the tyre/the spokes]
Wipe the {spanner} on the [trousers/saddle/handlebar grip] |
    Clean the smear of the {spanner} off the [trousers/saddle/handlebar grip]
Turn the {turner} backwards by [half a turn/a quarter turn/a full turn] |
    Turn the {turner} forwards again by [half a turn/a quarter turn/a full turn]
Bump the {round} against the [bike stand/wall/toolbox/edge of the {surface}] |
    Move the {round} clear of the [bike stand/wall/toolbox/edge of the {surface}]
Spin the {round} [while holding the brake/by the valve/with one foot] |
    Stop the {round} and hold it still
Stick a [finger/thumb/pen] between the spokes of the {round} |
    Pull the [finger/thumb/pen] out and stop the {round}
Push the {round} off to the side |
    Catch the {round} and bring it back
Rest [a knee/an elbow/the toolbox] on the {round} |
    Take the [knee/elbow/toolbox] off the {round} and check the spokes
Roll the {round} over [a foot/the pump hose/a wrench] |
    Roll the {round} back off the [foot/pump hose/wrench]
Smear grease on the [rim/spokes/hub] of the {round} |
    Wipe the grease off the [rim/spokes/hub] of the {round}
Rub a greasy [thumb/rag/glove] along the {rubber} |
    Wipe the mark of the [thumb/rag/glove] off the {rubber}
Twist the {innertube} [into a knot/around one hand/around the pump hose] |
    Untwist the {innertube} and lay it straight
Pinch the {rubber} [between finger and thumb/with the pliers/between two tools] |
    Let go of the {rubber} and check it for marks
Drag the {rubber} across the [gritty floor/oily rag/tool tray] |
    Brush the [grit/oil/dirt] off the {rubber}
Step on the {rubber} [with one foot/with both feet/by mistake] |
    Step off the {rubber} and check it for damage
Scratch at the {rubber} with [a fingernail/a screwdriver/a key] |
    Check the {rubber} for damage by the [fingernail/screwdriver/key]
Lay the {rubber} down [in a patch of oil/on some grit/on a screwdriver] |
    Lift the {rubber} and [wipe off the oil/brush off the grit/check it for marks]
Squeeze the brake lever with no need |
    Let go of the brake lever and check that it springs back
Bump the saddle and turn it to one side |
    Turn the saddle straight again
Shift the chain onto the [smallest/largest] sprocket by hand |
    Lift the chain back onto its own sprocket
Pinch a [finger/thumb/sleeve] between the {bikepart} and the frame |
    Pull the [finger/thumb/sleeve] free and check the {bikepart}
Push the {bikepart} [sideways/with one foot/with the handle of a tool] |
    Push the {bikepart} back into line
Touch the {bikepart} with a [sleeve/bare hand/trouser leg] |
    Pull the [sleeve/hand/trouser leg] back and wipe the {bikepart}
Knock against the {bikepart} with [an elbow/a knee/a screwdriver/a shoe] |
    Check that the {bikepart} has not moved
[Blow/Kick/Brush] dust onto the {bikepart} |
    Wipe the dust off the {bikepart}
Pluck at the {bikepart} with [one finger/a thumb/the pliers] |
    Let go of the {bikepart} and check that it runs true
Smear [grease/mud/sweat] on the {bikepart} |
    Wipe the [grease/mud/sweat] off the {bikepart}
Hang [a jacket/a rag/the pump hose] over the {bikepart} |
    Take the [jacket/rag/pump hose] off the {bikepart}
Press the {valve} and let some air out |
    Pump the lost air back in through the {valve}
Bend the {valve} to one side [with a thumb/with the pump head/with a knee] |
    Bend the {valve} straight again
Wipe the {valve} with a [greasy finger/dirty rag/wet sleeve] |
    Clean the dirt off the {valve}
Drag the {cloth} over the [gritty floor/dirty tyre/greasy chain] |
    Shake the dirt out of the {cloth}
Trail the {cloth} through the [spokes/chain/brake] |
    Pull the {cloth} out of the [spokes/chain/brake]
Drop the {cloth} [on the gritty floor/into the toolbox/into the oil tray] |
    Pick up the {cloth} and shake it out
Wipe the [forehead/nose/watch] with the {cloth} |
    Wash the [forehead/nose/watch] and take a clean side of the {cloth}
Wipe a greasy hand on the [saddle/handlebar grip/trousers/wall] |
    Clean the mark of the hand off the [saddle/handlebar grip/trousers/wall]
Kick over the [tool tray/toolbox/bucket of water] |
    Put the [tool tray/toolbox/bucket] back in its place
Turn the handlebar until it hits the [frame/wall/workbench] |
    Turn the handlebar straight again
Lean on the bike until it tips to one side |
    Stand the bike up straight again
Brush against the dirty tyre with [a sleeve/a knee/the face] |
    Brush the dirt off the [sleeve/knee/face]
"""

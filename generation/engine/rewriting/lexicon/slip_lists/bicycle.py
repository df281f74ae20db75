"""Slips at a bicycle: `text |` and, on the next line, what puts it right."""

SLIPS = """
Drip {liquid} onto the floor beside the bike |
    Wipe the {liquid} off the floor beside the bike
Smear {liquid} on the brake rotor |
    Clean the {liquid} off the brake rotor
Squirt {liquid} onto the saddle |
    Wipe the {liquid} off the saddle
Spill {liquid} over the tools |
    Wipe the {liquid} off the tools
Get {liquid} on the handlebar grip |
    Rub the {liquid} off the handlebar grip
Leave the bottle of {liquid} open on the floor |
    Close the bottle of {liquid} and move it aside
Splash {liquid} on a shoe |
    Dab the {liquid} off the shoe
Let {liquid} run down the frame |
    Wipe the run of {liquid} off the frame
Scratch the frame with the {spanner} |
    Wipe the scratched frame and set the {spanner} straight
Drop the {spanner} on the floor |
    Pick the {spanner} up from the floor
Lean the {spanner} against the spokes |
    Take the {spanner} away from the spokes
Tap the frame with the {spanner} |
    Check the frame for marks of the {spanner}
Hold the {spanner} by the greasy end |
    Wipe the {spanner} and take it by the clean end
Leave the {spanner} under the bike |
    Pick up the {spanner} from under the bike
Turn the {turner} backwards by half a turn |
    Turn the {turner} forwards again by half a turn
Bump the {round} against the bike stand |
    Move the {round} clear of the bike stand
Spin the {round} while holding the brake |
    Let go of the brake and stop the {round}
Stick a finger between the spokes of the {round} |
    Pull the finger out and stop the {round}
Push the {round} off to the side |
    Catch the {round} and bring it back
Rest a knee on the {round} |
    Take the knee off the {round} and check the spokes
Rub a greasy thumb along the {rubber} |
    Wipe the thumb marks off the {rubber}
Twist the {innertube} into a knot |
    Untwist the {innertube} and lay it straight
Pinch the {rubber} between finger and thumb |
    Let go of the {rubber} and check it for marks
Drag the {rubber} across the gritty floor |
    Brush the grit off the {rubber}
Step on the {rubber} |
    Step off the {rubber} and check it for damage
Squeeze the brake lever with no need |
    Let go of the brake lever and check that it springs back
Bump the saddle and turn it to one side |
    Turn the saddle straight again
Shift the chain onto the smallest sprocket by hand |
    Lift the chain back onto its own sprocket
Pinch a finger between the {bikepart} and the frame |
    Pull the finger free and check the {bikepart}
Push the {bikepart} sideways |
    Push the {bikepart} back into line
Touch the {bikepart} with a sleeve |
    Pull the sleeve back and wipe the {bikepart}
Knock against the {bikepart} with an elbow |
    Check that the {bikepart} has not moved
Blow dust onto the {bikepart} |
    Wipe the dust off the {bikepart}
Press the {valve} and let some air out |
    Pump the lost air back in through the {valve}
Bend the {valve} to one side |
    Bend the {valve} straight again
Wipe the {valve} with a greasy finger |
    Clean the grease off the {valve}
Drag the {cloth} over the gritty floor |
    Shake the grit out of the {cloth}
Trail the {cloth} through the spokes |
    Pull the {cloth} out of the spokes
Wipe a greasy hand on the saddle |
    Clean the mark of the hand off the saddle
Kick over the tool tray |
    Gather the tools back into the tool tray
Turn the handlebar until it hits the frame |
    Turn the handlebar straight again
Lean on the bike until it tips to one side |
    Stand the bike up straight again
Brush against the dirty tyre with a sleeve |
    Brush the dirt off the sleeve
"""

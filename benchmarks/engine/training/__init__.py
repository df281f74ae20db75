"""Models that are trained on features of the steps of recordings (CaptainCook4D, 5.1; EgoOops, 4).

Sample --gather_examples--> Example --Course, which trains a StepModel--> scores --decide--> a class
"""

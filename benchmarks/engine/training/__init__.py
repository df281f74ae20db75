"""Models that are trained on features of the steps of recordings (CaptainCook4D, 5.1; EgoOops, 4).

Sample --gathered--> Example --Course: a StepModel, by epochs--> scores --decided--> a class
"""

"""The closed word lists of the package. Words of English, never sentences of a data set."""

from generation.engine.word_lists import word_set

# Words that relate what they take to the rest of the clause. The published cache nests with these.
PREPOSITIONS = word_set(
    """
    about above across after against along alongside among around as at away_from back back_into
    back_on back_onto back_to before behind below beneath beside between beyond by down down_on
    during except for from in in_front_of inside instead_of into like near next_to of off off_of on
    on_top_of onto opposite out out_of outside over past per since through throughout to together
    toward towards under underneath until up upon using via with within without
    """
)

# Words that stand for a person or for a thing named elsewhere.
PRONOUNS = word_set(
    """
    you your yours yourself i me my we us our he him his he she her hers they them their it its
    this that these those someone something somebody each_other one_another itself themselves
    """
)

# Words that only say how much of the thing they take: `some(of(coffee))` is coffee.
QUANTITY_WORDS = word_set(
    """
    all another any both but_only each few little more most much one one_of only other part piece
    pieces portion rest several some two three uncooked_portion
    """
)

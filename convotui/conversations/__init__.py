"""What a user does with conversations, for the screen and the command line alike.

The rules are kept here, so that neither front end has its own: which rows a listing
has, what a conversation adds up to, what a label may be, what an export holds.
"""

"""The reducer: takes one packet of a session's log into its transcript.

`reducer` says which function takes which packet. Each of the other modules takes in one subject;
`draft` is the transcript while one packet changes it.
"""

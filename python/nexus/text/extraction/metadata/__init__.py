"""Title, author, site, date, language, picture and addresses of a page.

Nothing is imported here: a server compares words with the help of two of these modules and reads no page.
"""

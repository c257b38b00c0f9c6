"""Books, web pages and office documents as blocks of text, for stories and for uploaded documents alike."""

"""The roles on Gemini, through langchain-google-genai."""

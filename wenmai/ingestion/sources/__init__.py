"""Files to chapters, tables and alias lists."""

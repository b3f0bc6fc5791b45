"""The ten lessons: their text, their exercises and checks, the builder, the `workbook` command."""

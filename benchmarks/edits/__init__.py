"""What plans with edits share, lose and hide, beside plans that only withhold."""

"""Programs of tutorials of several years, as their readers type them: each runs unchanged under tensorkit."""

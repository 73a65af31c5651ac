"""The frame around the pages: window, menus, navigation, and the bars above the pages."""

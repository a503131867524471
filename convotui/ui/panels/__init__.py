"""Parts of the browser that own a flow of their own and are handed the use cases."""

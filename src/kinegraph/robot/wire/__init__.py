"""Bytes on the wire: layouts of both versions, framing, datagrams to rows and back."""

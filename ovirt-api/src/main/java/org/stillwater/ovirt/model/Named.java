package org.stillwater.ovirt.model;

/** An element that has only a name. */
public record Named(String name) {}

package org.stillwater.ovirt.model;

/** An element that has only an identity. */
public record Identified(@Attribute String id) {}

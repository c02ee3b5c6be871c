package org.stillwater.ovirt.model;

/** A name with a value. */
public record Property(String name, String value) {}

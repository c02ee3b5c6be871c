package org.stillwater.ovirt.model;

/** Why a request was not fulfilled. */
public record Fault(String detail, String reason) {}

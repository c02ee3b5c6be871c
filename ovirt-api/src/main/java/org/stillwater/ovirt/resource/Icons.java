package org.stillwater.ovirt.resource;

/** Identities of the icons, which all VMs share. */
public final class Icons {

    /** The large one. */
    public static final String LARGE = Uuids.of("icon", "large");

    /** The small one. */
    public static final String SMALL = Uuids.of("icon", "small");

    private Icons() {}
}

package org.stillwater.ovirt.action;

import java.util.List;

/** Every entity beside VMs and pools that clients write, for the reference page. */
public final class Writable {

    /** What becomes of the elements of each. */
    public static final List<Elements> TABLES =
            List.of(
                    NicChanges.ELEMENTS,
                    DiskAttachmentChanges.ELEMENTS,
                    CdromChanges.ELEMENTS,
                    WatchdogChanges.ELEMENTS,
                    ConsoleChanges.ELEMENTS,
                    HostChanges.ELEMENTS,
                    FenceAgentChanges.ELEMENTS,
                    ClusterChanges.ELEMENTS,
                    AffinityChanges.ELEMENTS,
                    TagChanges.ELEMENTS);

    private Writable() {}
}

package org.stillwater.core.definition;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A network interface in a VM's definition.
 *
 * @param id identity of the interface
 * @param name name in the definition, for example {@code nic1}
 * @param mac lower-case MAC address with colons
 * @param vnicProfile the vNIC profile, null for none
 * @param speedMegabitsPerSecond nominal speed; the base of usage percentages
 */
public record VmNic(
        UUID id, String name, String mac, @Nullable UUID vnicProfile, int speedMegabitsPerSecond) {

    /** The same interface under another identity. */
    public VmNic withId(UUID next) {
        return new VmNic(next, name, mac, vnicProfile, speedMegabitsPerSecond);
    }
}

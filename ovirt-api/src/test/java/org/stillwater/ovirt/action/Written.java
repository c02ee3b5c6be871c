package org.stillwater.ovirt.action;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.ClusterId;
import org.stillwater.core.model.VmId;
import org.stillwater.core.port.DefinitionStore.Definition;
import org.stillwater.monitoring.vm.VmView;

/** Definitions as bodies change them, for tests of other packages. */
public final class Written {

    private Written() {}

    /** Makes MAC addresses; nothing else is asked of the server here. */
    static final class Desk implements DefinitionDesk {
        @Override
        public String text(Definition definition) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void recorded(VmId vm, Definition definition) {
            throw new UnsupportedOperationException();
        }

        @Override
        public String nextMac() {
            return "56:6f:1a:00:00:77";
        }

        @Override
        public @Nullable VmView owner(VmId vm, String mac, ClusterId cluster) {
            throw new UnsupportedOperationException();
        }
    }

    /** A VM whose definition a body changes; its pool is not stateless. */
    public static Definition over(String body, Definition before) {
        return new VmDefinitions(new Desk())
                .over(
                        Bodies.of(body),
                        before,
                        new VmDefinitions.Standing("X86_64", false, "web-01.example"));
    }

    /** A table by its subject. */
    public static BodyRules table(String subject) {
        List<BodyRules> found =
                WritableBodies.all().stream()
                        .filter(each -> each.subject().equals(subject))
                        .toList();
        return found.getFirst();
    }

    /** Checks a body of an entity or action. */
    public static void check(BodyRules table, String body) {
        Body _ = table.read(Bodies.of(body));
    }
}

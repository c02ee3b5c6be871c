package org.stillwater.ovirt.action;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.ClusterId;
import org.stillwater.core.model.VmId;
import org.stillwater.core.port.DefinitionStore.Definition;
import org.stillwater.monitoring.vm.VmView;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.xml.XmlMapper;

/** Definitions as bodies change them, for tests of other packages. */
public final class Written {

    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final XmlMapper XML = XmlMapper.builder().build();
    private static final int LARGEST = 100_000;

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

    /** A body, in XML or JSON. */
    static Body body(String text) {
        try {
            return Body.read(
                    new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
                    LARGEST,
                    XML,
                    JSON);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A VM whose definition a body changes; its pool is not stateless. */
    public static Definition over(String body, Definition before) {
        return new VmDefinitions(new Desk())
                .over(
                        body(body),
                        before,
                        new VmDefinitions.Standing("X86_64", false, "web-01.example"));
    }

    /** A table by its subject. */
    public static WritableElements table(String subject) {
        List<WritableElements> found =
                WritableBodies.all().stream()
                        .filter(each -> each.subject().equals(subject))
                        .toList();
        return found.getFirst();
    }

    /** Checks a body of an entity or action. */
    public static void check(WritableElements table, String body) {
        table.check(body(body), WritableElements.NOTHING_KNOWN);
    }
}

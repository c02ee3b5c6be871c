package org.stillwater.ovirt.action;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.store.DefinitionStore.Definition;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.xml.XmlMapper;

/** Bodies of requests, and definitions that they change. */
final class Bodies {

    private static final int LARGEST = 10_000;

    private Bodies() {}

    /** A body in XML or JSON. */
    static Body of(String text) {
        try {
            return Body.read(
                    new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)),
                    LARGEST,
                    new XmlMapper(),
                    new JsonMapper());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A VM with this specification. */
    static Definition definition(VmSpecification specification, VmNic... nics) {
        return new Definition(
                new VmStatic("own", VmOrigin.OVIRT, false, 64, 64, 1, 1, 1, List.of(nics)),
                specification,
                7,
                null,
                null);
    }
}

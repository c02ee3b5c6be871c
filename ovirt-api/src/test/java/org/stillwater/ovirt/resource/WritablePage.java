package org.stillwater.ovirt.resource;

import java.util.Map;
import org.stillwater.ovirt.action.Treatment;
import org.stillwater.ovirt.action.WritableBodies;
import org.stillwater.ovirt.action.WritableElements;

/** The section of the reference page about elements that clients write. */
final class WritablePage {

    private static final String HEAD =
            """

            ## Elements that clients write

            Every element of a body is kept, fixed, refused or ignored. An element that is in no table is refused with status 400.

            * **kept**: the engine stores it and shows it again. The last column names the member of the native definition
              (`PUT /api/v1/vms/{id}/definition`). A list replaces the list that is there. A reference has an `id` or a `name`.
            * **fixed**: the engine accepts this value, which is true of every VM, and refuses another one with status 409. Where no
              value stands here, it is the value that the entity has.
            * **refused**: status 409, unless the element is empty.
            * **ignored**: the engine accepts it, and it has no effect.

            In JSON an element is a member. `href`, `rel`, `link` and `actions` are ignored everywhere.
            """;

    private WritablePage() {}

    static void write(StringBuilder page) {
        page.append(HEAD);
        for (WritableElements table : WritableBodies.all()) {
            page.append("\n### ")
                    .append(Character.toUpperCase(table.subject().charAt(0)))
                    .append(table.subject().substring(1))
                    .append(": `")
                    .append(table.root())
                    .append("`\n\n| element | | |\n|---|---|---|\n");
            for (Map.Entry<String, Treatment> each : table.elements().entrySet()) {
                page.append("| `")
                        .append(each.getKey())
                        .append("` | ")
                        .append(words(each.getValue()))
                        .append(" |\n");
            }
        }
    }

    private static String words(Treatment treatment) {
        return switch (treatment) {
            case Treatment.Kept kept -> "kept | " + kept.as();
            case Treatment.Fixed fixed ->
                    "fixed"
                            + (fixed.values().isEmpty()
                                    ? ""
                                    : ": `" + String.join("`, `", fixed.values()) + "`")
                            + " | "
                            + fixed.why();
            case Treatment.Unsupported unsupported -> "refused | " + unsupported.why();
            case Treatment.Ignored ignored -> "ignored | " + ignored.why();
        };
    }
}

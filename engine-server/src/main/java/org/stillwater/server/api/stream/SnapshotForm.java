package org.stillwater.server.api.stream;

import org.stillwater.server.api.web.ApiException;

/** Form of the VMs of a snapshot. */
enum SnapshotForm {
    /** An object for each VM. */
    ROWS,
    /** An array for each member. */
    COLUMNS,
    /** As columns, and numbers and times as differences to the least one. */
    PACKED;

    /**
     * The form that a reader requests.
     *
     * @param word of the query; empty for rows
     * @param selected whether the query names the members of VMs
     */
    static SnapshotForm of(String word, boolean selected) {
        SnapshotForm form =
                switch (word) {
                    case "", "rows" -> ROWS;
                    case "columns" -> COLUMNS;
                    case "packed" -> PACKED;
                    default ->
                            throw ApiException.badRequest(
                                    "snapshot must be rows, columns or packed");
                };
        if (form != ROWS && !selected) {
            throw ApiException.badRequest("snapshot=" + word + " needs fields");
        }
        return form;
    }
}

package org.stillwater.core.cluster;

import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.text.Labels;

/**
 * A group of clusters that share storage and networks. The engine uses it only to group clusters.
 *
 * @param id identity
 * @param name unique name, 1–255 characters
 * @param description free text, at most 4 000 characters; may be empty
 */
public record DataCentre(DataCentreId id, String name, String description) {

    /** The one that every database has from the beginning. */
    public static final DataCentre DEFAULT = new DataCentre(DataCentreId.DEFAULT, "Default", "");

    public DataCentre {
        Labels.check("data centre", name, description);
    }
}

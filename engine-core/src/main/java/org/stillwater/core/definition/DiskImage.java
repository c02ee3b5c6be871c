package org.stillwater.core.definition;

import java.util.UUID;

/**
 * The image of a disk and the storage domain that holds it.
 *
 * @param image the image; hosts report statistics of a disk by it
 * @param domain the storage domain
 */
public record DiskImage(UUID image, UUID domain) {}

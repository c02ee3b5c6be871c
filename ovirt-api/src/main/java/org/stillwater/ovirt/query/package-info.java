/**
 * What resources and the search language know of each other: the fields of a collection that can be
 * asked about. Neither the language nor the resources belong here.
 */
@NullMarked
package org.stillwater.ovirt.query;

import org.jspecify.annotations.NullMarked;

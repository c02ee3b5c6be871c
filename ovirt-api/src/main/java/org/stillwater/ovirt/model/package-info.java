/**
 * The elements of the REST API v4 as records, one model for XML and JSON. A component has the name
 * of its element in camel case; null components are omitted; integers and booleans are boxed,
 * because absence has a meaning. The codec defines the formats; the records have no behaviour.
 */
@NullMarked
package org.stillwater.ovirt.model;

import org.jspecify.annotations.NullMarked;

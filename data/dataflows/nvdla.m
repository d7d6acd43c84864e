// nvdla: weight-stationary, in the manner of NVDLA. Output channels over clusters, input channels over the elements of
// a cluster, whose partial sums are added on the way out. ClusterSz is the width of the array.
Dataflow {
    SpatialMap(1,1) K;
    TemporalMap(ClusterSz,ClusterSz) C;
    TemporalMap(Sz(R),Sz(R)) R;
    TemporalMap(Sz(S),Sz(S)) S;
    TemporalMap(Sz(R),1) Y;
    TemporalMap(Sz(S),1) X;
    Cluster(ClusterSz, P);
    SpatialMap(1,1) C;
}
